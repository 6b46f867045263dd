import { siteApi } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '#api/call.ts';

const waitsSeconds = [5, 8, 15, 30];
const waitBefore = (attempt: number) => waitsSeconds[Math.min(attempt, waitsSeconds.length) - 1] ?? 0;

export interface Reconnect {
  /** Number of the next attempt, from 1. */
  attempt: number;
  /** Seconds until the next attempt. */
  seconds: number;
  trying: boolean;
  retry: () => void;
}

/** Retries until the server responds, then reloads the data on screen. */
export function useReconnect(): Reconnect {
  const client = useQueryClient();
  const [attempt, setAttempt] = useState(1);
  const [seconds, setSeconds] = useState(waitBefore(1));
  const [trying, setTrying] = useState(false);
  const busy = useRef(false);

  const retry = useCallback(async () => {
    if (busy.current) return;
    busy.current = true;
    setTrying(true);
    try {
      await call(siteApi.status);
      await client.invalidateQueries();
    } catch {
      // Still unreachable; the next attempt is scheduled below.
    }
    busy.current = false;
    setTrying(false);
    setAttempt((now) => now + 1);
    setSeconds(waitBefore(attempt + 1));
  }, [attempt, client]);

  useEffect(() => {
    const timer = setInterval(() => {
      if (seconds > 1) setSeconds(seconds - 1);
      else void retry();
    }, 1000);
    return () => clearInterval(timer);
  }, [seconds, retry]);

  return { attempt, seconds, trying, retry: () => void retry() };
}
