import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useSite } from '#api/site.ts';
import { languageTag } from '#i18n/i18n.ts';

/** The used part of the CAPTCHA widget's interface. */
interface ChallengeApi {
  render(place: HTMLElement, options: ChallengeOptions): string | undefined;
  reset(widget: string): void;
  remove(widget: string): void;
}

interface ChallengeOptions {
  sitekey: string;
  theme: 'light' | 'dark';
  language: string;
  size: 'flexible';
  callback: (token: string) => void;
  'expired-callback': () => void;
  'timeout-callback': () => void;
  'error-callback': () => boolean;
}

declare global {
  interface Window {
    turnstile?: ChallengeApi;
  }
}

let loading: Promise<ChallengeApi> | undefined;

/** Loads the widget's script from the address in the operator's settings, once. */
function loadChallenge(address: string): Promise<ChallengeApi> {
  loading ??= new Promise<ChallengeApi>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${address}/turnstile/v0/api.js?render=explicit`;
    script.async = true;
    script.addEventListener('load', () => {
      if (window.turnstile) resolve(window.turnstile);
      else reject(new Error('the challenge is not there'));
    });
    script.addEventListener('error', () => {
      // Allow a retry: the network may be back.
      loading = undefined;
      script.remove();
      reject(new Error('the challenge cannot be loaded'));
    });
    document.head.append(script);
  });
  return loading;
}

export interface Challenge {
  /** Parameters for the next request: `{}` if no check is configured, undefined while the check runs. */
  query: { turnstile?: string } | undefined;
  /** Call after each request: a token is valid once. */
  renew: () => void;
  /** Render it above the submit button. */
  widget: ReactNode;
}

const defaultAddress = 'https://challenges.cloudflare.com';

/** The CAPTCHA, if the operator has turned it on; otherwise loads nothing. */
export function useChallenge(): Challenge {
  const site = useSite();
  const key = site?.turnstile_check ? site.turnstile_site_key : '';
  const address = site?.turnstile_address || defaultAddress;
  const place = useRef<HTMLDivElement>(null);
  const running = useRef<{ api: ChallengeApi; id: string }>(undefined);
  const [token, setToken] = useState<string>();
  useEffect(() => {
    if (key === '') return undefined;
    let gone = false;
    const drop = () => setToken(undefined);
    const start = async () => {
      const api = await loadChallenge(address);
      if (gone || !place.current) return;
      const id = api.render(place.current, {
        sitekey: key,
        theme: document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light',
        language: languageTag().toLowerCase(),
        size: 'flexible',
        callback: setToken,
        'expired-callback': drop,
        'timeout-callback': drop,
        'error-callback': () => {
          drop();
          return true;
        },
      });
      if (id !== undefined) running.current = { api, id };
    };
    // Without the widget there is no token; the form says that the check is still running.
    start().catch(drop);
    return () => {
      gone = true;
      running.current?.api.remove(running.current.id);
      running.current = undefined;
    };
  }, [key, address]);
  const renew = () => {
    setToken(undefined);
    running.current?.api.reset(running.current.id);
  };
  const waiting = key !== '' && token === undefined;
  return {
    query: waiting ? undefined : token === undefined ? {} : { turnstile: token },
    renew,
    widget:
      key === '' ? null : <div ref={place} data-challenge={waiting ? 'running' : 'passed'} className="min-h-16" />,
  };
}
