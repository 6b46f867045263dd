import { useMutation } from '@tanstack/react-query';
import { revealKey } from './token-api.ts';

/** Fetches the full key of a token on demand; failures show a toast. The key is not cached. */
export function useTokenKey(id: number): () => Promise<string> {
  const { mutateAsync } = useMutation({ mutationFn: revealKey, gcTime: 0 });
  return () => mutateAsync(id);
}
