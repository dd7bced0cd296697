import { getRouteApi } from '@tanstack/react-router';
import { UsagePage } from '../../features/usage/usage-page.tsx';
import { usageSearch } from '../../features/usage/screen.ts';

const route = getRouteApi('/members/usage');

export function UsageScreen() {
  const { range, from, to, connection } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <UsagePage
      range={from !== undefined && to !== undefined ? { from, to } : { preset: range ?? 'week' }}
      connectionId={connection}
      onRange={(chosen) =>
        void navigate({
          search: usageSearch({ ...('from' in chosen ? chosen : { range: chosen.preset }), connection }),
        })
      }
      onConnection={(id) =>
        void navigate({ search: usageSearch({ range, from, to, connection: id }), resetScroll: false })
      }
    />
  );
}
