import type { QueryClient } from '@tanstack/react-query';
import { loadTexts } from '#i18n/i18n.ts';
import type { Namespace } from '#i18n/texts.ts';

/** Context of every route's `loader`. */
export interface ScreenContext {
  queryClient: QueryClient;
  /** Whether the visitor may see the screen; its data is not fetched otherwise. */
  allowed: boolean;
}

type Prefetch = (client: QueryClient) => Promise<void>[];

/**
 * For a route's `loader`: loads the texts of the screen and the shared components, and starts its calls while its
 * code is loading. Only the texts are awaited. `loadScreen(context, ['token'], (client) =>
 * [client.prefetchQuery(tokenPage(deps))])`
 */
export async function loadScreen(
  { queryClient, allowed }: ScreenContext,
  texts: Namespace[],
  prefetch?: Prefetch,
): Promise<void> {
  if (allowed && prefetch) void Promise.all(prefetch(queryClient));
  await loadTexts('shared', ...texts);
}
