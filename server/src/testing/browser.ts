import { type Answer, ApiClient } from './hub.ts';

/** Cookies as a browser keeps them, by name; all of this machine's one port. */
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

/** A client that keeps every cookie, as journeys to other sites and back need it. */
export class Browser extends ApiClient {
  readonly cookies = new CookieJar();
  readonly #elsewhere = new CookieJar();

  override async send<T = unknown>(
    ...[method, path, body, headers]: Parameters<ApiClient['send']>
  ): Promise<Answer<T>> {
    this.cookie = this.cookies.toString();
    const answer = await super.send<T>(method, path, body, headers);
    this.cookies.take(answer.headers);
    return answer;
  }

  /** Goes to another site and wherever it leads, until it leads back here; the address that this site is called with. */
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
