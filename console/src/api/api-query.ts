import type { Endpoint, ReplyOf } from '@relay-hub/contract';
import { queryOptions, type QueryClient, type QueryKey } from '@tanstack/react-query';
import { call, type CallInput } from './call.ts';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: ErrorMeta;
    mutationMeta: ErrorMeta;
  }
}

interface ErrorMeta extends Record<string, unknown> {
  /** The screen shows the error itself, so there is no toast. */
  quiet?: boolean;
}

type Input<E extends Endpoint> = object extends CallInput<E> ? [input?: CallInput<E>] : [input: CallInput<E>];

/**
 * `useQuery(apiQuery(tokenApi.list, { query: search }))`: the endpoint, keyed by its path and input.
 * Spread it to add options: `useQuery({ ...apiQuery(…), placeholderData: keepPreviousData })`.
 */
export function apiQuery<E extends Endpoint>(endpoint: E, ...[input]: Input<E>) {
  const queryKey: QueryKey = input ? [endpoint.path, input] : [endpoint.path];
  return queryOptions({
    queryKey,
    queryFn: ({ signal }): Promise<ReplyOf<E>> => (call as Caller)(endpoint, { ...input, signal }),
  });
}

/** `call` as a plain function: TypeScript cannot resolve its optional argument while `E` is open. */
type Caller = <E extends Endpoint>(endpoint: E, input: object) => Promise<ReplyOf<E>>;

/** Invalidates the endpoints' queries with any input; those not on screen are fetched when next shown. */
export async function refresh(client: QueryClient, ...endpoints: Endpoint[]): Promise<void> {
  await Promise.all(endpoints.map((endpoint) => client.invalidateQueries({ queryKey: [endpoint.path] })));
}
