import { cockpitApi, type Cockpit, type CockpitEvent } from '@relay-hub/contract';
import { useEffect, useState } from 'react';
import { ApiError } from '#api/api-error.ts';
import { callEvents } from '#api/call-events.ts';

const againMs = 3000;

export interface LiveHub {
  /** The newest state; undefined until the first one. */
  state: Cockpit | undefined;
  /** When the server was heard last, Unix seconds. */
  heardAt: number;
  /** Why nothing comes; undefined while the stream is open. */
  error: Error | undefined;
}

const nothing: LiveHub = { state: undefined, heardAt: 0, error: undefined };

/** The live state of the hub; no stream is open while paused or while the page is hidden. */
export function useLiveHub(paused: boolean): LiveHub {
  const [hub, setHub] = useState(nothing);
  useEffect(() => {
    if (paused) return undefined;
    let leaving: AbortController | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hear = (event: CockpitEvent) =>
      setHub(({ state }) => ({
        state: event.type === 'cockpit' ? event.data : state,
        heardAt: Math.floor(Date.now() / 1000),
        error: undefined,
      }));
    const open = async () => {
      const mine = new AbortController();
      leaving = mine;
      let error = new ApiError({ status: 0, message: '' });
      try {
        await callEvents(cockpitApi.live, undefined, mine.signal, (event) => hear(event as CockpitEvent)); // the contract's stream
      } catch (thrown) {
        if (thrown instanceof ApiError) error = thrown;
      }
      if (mine.signal.aborted) return;
      setHub((now) => ({ ...now, error }));
      // A refusal stays one: the session or the role has ended.
      if (error.status < 400 || error.status >= 500) timer = setTimeout(() => void open(), againMs);
    };
    const stop = () => {
      clearTimeout(timer);
      leaving?.abort();
      leaving = undefined;
    };
    const follow = () => {
      if (document.hidden) stop();
      else if (!leaving) void open();
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      stop();
    };
  }, [paused]);
  return hub;
}
