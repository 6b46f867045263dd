import { useMutation } from '@tanstack/react-query';
import { revealKey } from './token-api.ts';

/** Fetches the whole key of a token when it is called. A failure is told in a toast; the key is kept nowhere. */
export function useTokenKey(id: number): () => Promise<string> {
  const { mutateAsync } = useMutation({ mutationFn: revealKey, gcTime: 0 });
  return () => mutateAsync(id);
}
