import { type ApiAnswer, ApiClient, type TestHub } from './hub.ts';

/** Cookies by name, as browsers keep them for all ports of one host. */
class CookieJar {
  readonly #kept = new Map<string, string>();

  take(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim());
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      const gone = attributes.some((attribute) => /^(max-age=0|expires=thu, 01 jan 1970.*)$/i.test(attribute));
      if (gone) this.#kept.delete(name);
      else this.#kept.set(name, value);
    }
  }

  set(name: string, value: string): void {
    this.#kept.set(name, value);
  }

  get(name: string): string | undefined {
    return this.#kept.get(name);
  }

  names(): string[] {
    return [...this.#kept.keys()];
  }

  toString(): string {
    return [...this.#kept].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

/** A client that keeps all cookies, for redirects to other sites and back. */
export class Browser extends ApiClient {
  readonly cookies = new CookieJar();
  readonly #elsewhere = new CookieJar();
  readonly #ip: string | undefined;
  #sent = '';

  /** `ip` is sent as the forwarded address; the hub must trust 127.0.0.1 as a proxy. */
  constructor(url: string, ip?: string) {
    super(url);
    this.#ip = ip;
  }

  override async send<T = unknown>(
    ...[method, path, body, headers]: Parameters<ApiClient['send']>
  ): Promise<ApiAnswer<T>> {
    // Keeps cookies that a test has set.
    if (this.cookie !== this.#sent)
      for (const pair of this.cookie.split('; ').filter(Boolean)) {
        const [name = '', value = ''] = pair.split(/=(.*)/s);
        this.cookies.set(name, value);
      }
    this.cookie = this.cookies.toString();
    const from = this.#ip === undefined ? {} : { 'x-forwarded-for': this.#ip };
    const answer = await super.send<T>(method, path, body, { ...from, ...headers });
    this.cookies.take(answer.headers);
    this.cookie = this.#sent = this.cookies.toString();
    return answer;
  }

  /** Follows redirects at other sites until one leads back; returns that address. */
  async travel(address: string): Promise<URL> {
    for (let hops = 0; hops < 10; hops++) {
      if (address.startsWith(`${this.url}/`)) return new URL(address);
      const answer = await fetch(address, { redirect: 'manual', headers: { cookie: this.#elsewhere.toString() } });
      this.#elsewhere.take(answer.headers);
      const location = answer.headers.get('location');
      if (!location) throw new Error(`${address} answers ${answer.status}: ${await answer.text()}`);
      address = new URL(location, address).href;
    }
    throw new Error('the other site leads nowhere');
  }
}

/** A browser with its own address, because limits are counted per address. The hub must trust 127.0.0.1 as a proxy. */
export const browserFrom = (hub: Pick<TestHub, 'url'>, ip = nextAddress()): Browser => new Browser(hub.url, ip);

let callers = 0;

/** An unused documentation address. */
export function nextAddress(): string {
  callers++;
  return `198.51.${100 + Math.floor(callers / 250)}.${callers % 250}`;
}
