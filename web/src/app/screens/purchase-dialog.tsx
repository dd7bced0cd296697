import { ConnectionAccess } from '../../features/connections/connection-access.tsx';
import type { PurchaseDialogProps } from '../../features/proxies/proxies-page.tsx';
import { ProxyDialog } from '../../features/proxies/proxy-dialog.tsx';

/** In one file, so that whoever has paid does not wait for the half that says how to reach the proxy. */
export function PurchaseDialog(props: PurchaseDialogProps) {
  return <ProxyDialog {...props} renderAccess={(connection) => <ConnectionAccess connection={connection} />} />;
}
