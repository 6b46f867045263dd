import type { SiteInfo } from '@relay-hub/contract';
import { authorizeUrl, type RedirectProvider } from './sign-in-provider.ts';
import { storage } from './storage.ts';

/** Storage key of the `state` that the sign-in window was opened with. */
const key = 'sign_in_window';
/** Same origin only; works even if a provider's policy cuts `window.opener`. */
const channelName = 'sign-in-window';

/** Outcome of signing in: done, a second step is due, or refused with a message. */
export type WindowOutcome = { result: 'signed_in' | 'second_step' } | { result: 'failed'; message: string };

type Report = WindowOutcome & { state: string };

/**
 * Opens a provider's page in a new window; false where the browser blocked it. Call it directly in the press handler,
 * or the browser always blocks it.
 */
export async function openSignInWindow(provider: RedirectProvider, site: SiteInfo): Promise<boolean> {
  const opened = open('about:blank', '_blank', 'popup,width=520,height=720');
  if (!opened) return false;
  try {
    const address = await authorizeUrl(provider, site);
    storage.set(key, new URL(address, location.href).searchParams.get('state') ?? '');
    opened.location.replace(address);
    return true;
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** Listens to reports of the last opened window; returns the unsubscribe function. */
export function onSignInWindow(listener: (outcome: WindowOutcome) => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', ({ data }: MessageEvent<Report>) => {
    if (data.state === storage.get(key)) listener(data);
  });
  return () => channel.close();
}

/** Whether this callback page is in a window opened by `openSignInWindow`. */
export const isSignInWindow = (state: string | undefined): boolean =>
  state !== undefined && state !== '' && state === storage.get(key);

/** Reports to the page that opened this window and closes it where the browser allows that. */
export function reportSignIn(state: string, outcome: WindowOutcome): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage({ ...outcome, state } satisfies Report);
  channel.close();
  close();
}
