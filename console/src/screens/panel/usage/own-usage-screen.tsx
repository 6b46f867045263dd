import { getRouteApi } from '@tanstack/react-router';
import { UsageScreen } from '#screens/panel/analytics/analytics-screen.tsx';

const route = getRouteApi('/panel/usage');

/** The own usage over a period, by model or token. */
export function OwnUsageScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <UsageScreen
      search={search}
      ofHub={false}
      onSearch={(change) => void navigate({ search: (now) => ({ ...now, ...change }) })}
    />
  );
}
