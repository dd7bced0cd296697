import { useStaffTitle } from '../../hooks/use-staff-title.ts';
import { Breadcrumbs, type Crumb } from '../../ui/breadcrumbs.tsx';

interface StaffBreadcrumbsProps extends Pick<Crumb, 'to'> {
  items: readonly Crumb[];
}

/** Of a screen below another one, to which they lead. */
export function StaffBreadcrumbs({ to, items }: StaffBreadcrumbsProps) {
  const label = useStaffTitle();
  return <Breadcrumbs items={label === undefined ? items : [{ label, to }, ...items]} />;
}
