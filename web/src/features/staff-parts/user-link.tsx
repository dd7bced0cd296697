import { Link } from '@tanstack/react-router';
import { usePermission } from './use-permission.ts';

interface UserLinkProps {
  user: { id: string; email: string };
}

/** The user whom a row of staff's lists belongs to. */
export function UserLink({ user: { id, email } }: UserLinkProps) {
  if (!usePermission('USERS_READ')) return email;
  return (
    <Link to="/admin/users/$userId" params={{ userId: id }}>
      {email}
    </Link>
  );
}
