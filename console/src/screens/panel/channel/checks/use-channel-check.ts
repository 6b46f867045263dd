import { channelCheckApi, checkEvent, type CheckedModel } from '@relay-hub/contract';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '#api/api-error.ts';
import { callEvents } from '#api/call-events.ts';

export interface ChannelCheckState {
  state: 'idle' | 'running' | 'done' | 'stopped' | 'broken';
  /** The models being checked, or checked last. */
  models: readonly string[];
  results: ReadonlyMap<string, CheckedModel>;
  error: string | undefined;
}

const idle: ChannelCheckState = { state: 'idle', models: [], results: new Map(), error: undefined };

/** Checks models of a channel and streams the results. Unmounting aborts the check. */
export function useChannelCheck(channelId: number) {
  const [check, setCheck] = useState<ChannelCheckState>(idle);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (models: readonly string[]): Promise<void> => {
    const leaving = new AbortController();
    running.current = leaving;
    setCheck({ ...idle, state: 'running', models });
    let isDone = false;
    let error: string | undefined;
    try {
      await callEvents(
        channelCheckApi.check,
        { id: channelId, models: models.join(',') },
        leaving.signal,
        (message) => {
          const event = checkEvent.parse(message);
          if (event.type === 'done') isDone = true;
          if (event.type !== 'result') return;
          setCheck((now) => ({ ...now, results: new Map(now.results).set(event.data.model, event.data) }));
        },
      );
    } catch (thrown) {
      if (thrown instanceof ApiError) error = thrown.message;
    }
    const state = isDone ? 'done' : leaving.signal.aborted ? 'stopped' : error === undefined ? 'broken' : 'idle';
    setCheck((now) => ({ ...now, state, error }));
  };
  return { check, start, stop: () => running.current?.abort() };
}
