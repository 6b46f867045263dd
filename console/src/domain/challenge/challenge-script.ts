/** The used part of the CAPTCHA widget's interface. */
export interface ChallengeApi {
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
export function loadChallenge(address: string): Promise<ChallengeApi> {
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
