import { tokenApi } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { call } from '#api/call.ts';

const revealKey = async (id: number): Promise<string> => (await call(tokenApi.reveal, { params: { id } })).key;

/** Fetches the full key of a token on demand; failures show a toast. The key is not cached. */
export function useTokenKey(id: number): () => Promise<string> {
  const { mutateAsync } = useMutation({ mutationFn: revealKey, gcTime: 0 });
  return () => mutateAsync(id);
}
