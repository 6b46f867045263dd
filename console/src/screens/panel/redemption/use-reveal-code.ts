import { useMutation } from '@tanstack/react-query';
import { revealCode } from './redemption-api.ts';

/** Fetches a whole code on demand; failures show a toast. The code is not cached. */
export function useRevealCode(): (id: number) => Promise<string> {
  return useMutation({ mutationFn: revealCode, gcTime: 0 }).mutateAsync;
}
