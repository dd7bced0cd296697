import { IconRouter } from '@tabler/icons-react';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const staffNodesScreen = {
  path: '/admin/nodes',
  permission: 'NODES_READ',
  texts: ['staffInventory'],
  title: { en: 'Gateways', ru: 'Шлюзы' },
  Icon: IconRouter,
} as const satisfies StaffScreenOf<'GET /v1/nodes/admin'>;
