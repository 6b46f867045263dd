import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { connectTokens } from '#domain/token/connect-tokens.ts';

export const Route = createFileRoute('/panel/chat')({
  // The top bar lists the chat clients.
  staticData: { menu: { group: 'overview', order: 90, titleKey: 'chat', hidden: true } },
  // `client` is the name of a chat link; `token` the id of the token to open it with, 0 for the first enabled one.
  ...searchOf<{ client: string; token: number }>({ client: '', token: 0 }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) =>
    loadScreen(context, ['chat'], (client) => [client.prefetchQuery(connectTokens(deps.token))]),
  component: lazyRouteComponent(() => import('./chat-screen.tsx'), 'ChatScreen'),
});
