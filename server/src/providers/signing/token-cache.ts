import { createHash } from 'node:crypto';
import type { Token, TokenExchange } from '../provider.ts';

/** Tokens are renewed this long before they end, so that none ends on its way. */
const EARLY_MS = 5 * 60_000;
/** More are kept only while they last. */
const KEPT = 1000;

/** Asks for a token and returns the answer's JSON. Rejects when there is none. */
export type AskForToken = (request: ReturnType<TokenExchange['ask']>) => Promise<unknown>;

/** Tokens by the keys that they were exchanged for. However many ask at once, each key is exchanged once. */
export class TokenCache {
  readonly #tokens = new Map<string, Token>();
  readonly #asking = new Map<string, Promise<string>>();

  /** A token that lasts for a while yet. Rejects with what `ask` rejects with, or when the answer holds no token. */
  async get(exchange: TokenExchange, key: string, now: number, ask: AskForToken): Promise<string> {
    const name = createHash('sha256').update(key).digest('base64');
    const known = this.#tokens.get(name);
    if (known && known.expires - EARLY_MS > now) return known.value;
    const asked = this.#asking.get(name);
    if (asked) return asked;
    const asking = this.#exchange(exchange, key, now, ask, name).finally(() => this.#asking.delete(name));
    this.#asking.set(name, asking);
    return asking;
  }

  async #exchange(exchange: TokenExchange, key: string, now: number, ask: AskForToken, name: string): Promise<string> {
    const token = exchange.read(await ask(exchange.ask(key, now)), now);
    if (!token) throw new Error('the answer holds no token');
    if (this.#tokens.size >= KEPT)
      for (const [old, { expires }] of this.#tokens) if (expires <= now) this.#tokens.delete(old);
    this.#tokens.set(name, token);
    return token.value;
  }
}
