import { Link } from '@tanstack/react-router';
import { usePermission } from './use-permission.ts';

interface UserLinkProps {
  user: { id: string; email: string };
}

/** An email; if it is too long for its place, its domain begins the second line. */
function Email({ email }: { email: string }) {
  const at = email.lastIndexOf('@');
  if (at < 1) return email;
  return (
    <>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </>
  );
}

/** The user of a row in staff lists. */
export function UserLink({ user: { id, email } }: UserLinkProps) {
  if (!usePermission('USERS_READ')) return <Email email={email} />;
  return (
    <Link to="/admin/users/$userId" params={{ userId: id }}>
      <Email email={email} />
    </Link>
  );
}
