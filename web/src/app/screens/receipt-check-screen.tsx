import { ReceiptCheckPage } from '../../features/receipt-check/receipt-check-page.tsx';
import { VisitorFrame } from '../layout/visitor-frame.tsx';

export function ReceiptCheckScreen() {
  return (
    <VisitorFrame>
      <ReceiptCheckPage />
    </VisitorFrame>
  );
}
