import { legalDocuments } from '@cellhop/contract/legal-documents';
import { QueryClientProvider } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { LegalPage } from '../../features/legal/legal-page.tsx';
import { queryClient } from '../../data/query.ts';
import { VisitorFrame } from '../layout/visitor-frame.tsx';
import { NotFoundPage } from '../not-found-page.tsx';

const route = getRouteApi('/legal/$document');

export function LegalScreen() {
  const { document } = route.useParams();
  const known = legalDocuments.find((each) => each === document);
  if (known === undefined) return <NotFoundPage />;
  return (
    <QueryClientProvider client={queryClient}>
      <VisitorFrame isWide>
        <LegalPage document={known} />
      </VisitorFrame>
    </QueryClientProvider>
  );
}
