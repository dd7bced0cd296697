import { ConnectionAccess } from '../../features/connections/connection-access.tsx';
import type { PurchaseDialogProps } from '../../features/proxies/proxies-page.tsx';
import { ProxyDialog } from '../../features/proxies/proxy-dialog.tsx';

/** One chunk, so that the user does not wait for the credentials after the purchase. */
export function PurchaseDialog(props: PurchaseDialogProps) {
  return <ProxyDialog {...props} renderAccess={(connection) => <ConnectionAccess connection={connection} />} />;
}
