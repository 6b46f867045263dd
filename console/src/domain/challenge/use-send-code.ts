import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNow } from '#ui/format/use-now.ts';
import type { Challenge } from './use-challenge.tsx';

/** Seconds before another code can be sent. */
const againAfterS = 60;

type Query = NonNullable<Challenge['query']>;

interface Sending {
  /** Seconds until a code can be requested again; 0 = now. */
  left: number;
  busy: boolean;
  /** Set once a code was sent. */
  sentTo: string | undefined;
  error: Error | null;
  send: (email: string) => void;
  forget: () => void;
}

/** Sends a code by mail and counts down until the next one; calls `wait` if the CAPTCHA is still running. */
export function useSendCode(
  ask: (email: string, query: Query) => Promise<unknown>,
  { challenge, onSent, wait }: { challenge: Challenge; onSent?: () => void; wait: () => void },
): Sending {
  const now = useNow(1);
  const [until, setUntil] = useState(0);
  const [sentTo, setSentTo] = useState<string>();
  const mutation = useMutation({
    mutationFn: ({ email, query }: { email: string; query: Query }) => ask(email, query),
    meta: { quiet: true },
    onSuccess: (_, { email }) => {
      setSentTo(email);
      setUntil(Math.floor(Date.now() / 1000) + againAfterS);
      onSent?.();
    },
    onSettled: challenge.renew,
  });
  const left = Math.max(0, until - now);
  return {
    left: Math.min(left, againAfterS),
    busy: mutation.isPending,
    sentTo,
    error: mutation.error,
    send(email) {
      if (left > 0 || mutation.isPending) return;
      if (!challenge.query) wait();
      else mutation.mutate({ email, query: challenge.query });
    },
    forget: mutation.reset,
  };
}
