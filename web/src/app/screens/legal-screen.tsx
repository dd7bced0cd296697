import { legalDocuments } from '@cellhop/contract/legal-documents';
import { QueryClientProvider } from '@tanstack/react-query';
import { LegalPage } from '../../features/legal/legal-page.tsx';
import { legalScreen } from '../../features/legal/screen.ts';
import { queryClient } from '../../data/query.ts';
import { useScreenParams } from '../../loading/use-screen.ts';
import { VisitorFrame } from '../layout/visitor-frame.tsx';
import { NotFoundPage } from '../not-found-page.tsx';

export function LegalScreen() {
  const { document } = useScreenParams(legalScreen);
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
