import type { SiteInfo } from '@relay-hub/contract';
import { addressAt, type Elsewhere } from './elsewhere.ts';
import { storage } from './storage.ts';

/** The `state` of the journey that a window of its own was opened for. */
const key = 'sign_in_window';
/** Same origin only, and whatever a provider's own policy does to `window.opener`. */
const channelName = 'sign-in-window';

/** What came of signing in: the account can be asked for, a second step is owed, or it was refused in these words. */
export type WindowOutcome = { result: 'signed_in' | 'second_step' } | { result: 'failed'; message: string };

type Report = WindowOutcome & { state: string };

/**
 * Opens a provider's page in a window of its own. Call it at once when a button is pressed: later the browser blocks it.
 * False where it was blocked.
 */
export async function openSignInWindow(provider: Elsewhere, site: SiteInfo): Promise<boolean> {
  const opened = open('about:blank', '_blank', 'popup,width=520,height=720');
  if (!opened) return false;
  try {
    const address = await addressAt(provider, site);
    storage.set(key, new URL(address, location.href).searchParams.get('state') ?? '');
    opened.location.replace(address);
    return true;
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** Listens to what the window reports that was opened last; gives what ends it. */
export function onSignInWindow(listener: (outcome: WindowOutcome) => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', ({ data }: MessageEvent<Report>) => {
    if (data.state === storage.get(key)) listener(data);
  });
  return () => channel.close();
}

/** Whether the page that a provider sends back to is in a window opened by `openSignInWindow`. */
export const isSignInWindow = (state: string | undefined): boolean =>
  state !== undefined && state !== '' && state === storage.get(key);

/** Tells the page that opened this window, and closes it where the browser lets it. */
export function reportSignIn(state: string, outcome: WindowOutcome): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage({ ...outcome, state } satisfies Report);
  channel.close();
  close();
}
