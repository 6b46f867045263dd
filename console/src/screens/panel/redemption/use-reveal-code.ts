import { useMutation } from '@tanstack/react-query';
import { revealCode } from './redemption-api.ts';

/** Fetches a whole code when it is called. A failure is told in a toast; the code is kept nowhere. */
export function useRevealCode(): (id: number) => Promise<string> {
  return useMutation({ mutationFn: revealCode, gcTime: 0 }).mutateAsync;
}
