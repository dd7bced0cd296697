import { configure } from '@testing-library/react';

// As in the browser: a machine may be busy.
configure({ asyncUtilTimeout: 20_000 });
