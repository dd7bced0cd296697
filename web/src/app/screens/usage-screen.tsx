import { getRouteApi } from '@tanstack/react-router';
import { UsagePage } from '../../features/usage/usage-page.tsx';
import { usageSearch } from '../../features/usage/screen.ts';

const route = getRouteApi('/members/usage');

export function UsageScreen() {
  const search = route.useSearch();
  const { range, from, to, connection, sort } = search;
  const navigate = route.useNavigate();
  return (
    <UsagePage
      range={from !== undefined && to !== undefined ? { from, to } : { preset: range ?? 'week' }}
      connectionId={connection}
      sort={sort}
      onRange={(chosen) =>
        void navigate({
          search: usageSearch({ ...('from' in chosen ? chosen : { range: chosen.preset }), connection, sort }),
        })
      }
      onConnection={(id) => void navigate({ search: usageSearch({ ...search, connection: id }), resetScroll: false })}
      onSort={(chosen) => void navigate({ search: usageSearch({ ...search, sort: chosen }), resetScroll: false })}
    />
  );
}
