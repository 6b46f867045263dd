import { booksApi, type ReplyOf } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';

export type BooksState = ReplyOf<typeof booksApi.state>;

const whileRunningMs = 700;
/** Another administrator may have started one. */
const otherwiseMs = 20_000;

export const booksState = {
  ...apiQuery(booksApi.state),
  meta: { quiet: true },
  refetchInterval: ({ state }: { state: { data: BooksState | undefined } }) =>
    state.data?.running ? whileRunningMs : otherwiseMs,
};

/** Starts a comparison, of signed days, too, if it is `full`; `booksState` reports its progress. */
export function useCompareBooks() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (full: boolean) => call(booksApi.run, { query: { full: full ? 'true' : 'false' } }),
    onSettled: () => refresh(client, booksApi.state),
  });
}

/** Days are signed up to a midnight of UTC. */
export const signedDate = (until: number): string => new Date(until * 1000).toISOString().slice(0, 10);
