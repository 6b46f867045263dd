import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { newPasskey, passkeyAnswer } from '@relay-hub/contract';
import type * as z from 'zod/mini';

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;

/** CBOR for attestations: short byte strings and texts, small numbers, maps. */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  const head = (major: number, n: number): Buffer =>
    n < 24
      ? Buffer.from([(major << 5) | n])
      : n < 256
        ? Buffer.from([(major << 5) | 24, n])
        : Buffer.from([(major << 5) | 25, n >> 8, n & 255]);
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const members = [...value].flatMap(([key, member]) => [cbor(key), cbor(member as Buffer)]); // only the kinds above
  return Buffer.concat([head(5, value.size), ...members]);
}

interface AuthenticatorOptions {
  challenge: string;
  /** The page's real origin, and the one it claims. */
  origin: string;
  host: string;
}

/** A simulated WebAuthn device with one passkey, which also performs invalid operations. */
export class Authenticator {
  readonly id = randomBytes(32);
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  counter = 0;
  verified = true;

  /** In COSE. */
  get publicKey(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    return cbor(
      new Map<number, number | Buffer>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    );
  }

  make({ challenge, origin, host }: AuthenticatorOptions, name = 'test'): z.input<typeof newPasskey> {
    const length = Buffer.from([0, this.id.length]);
    const authData = Buffer.concat([this.#data(host, ATTESTED), Buffer.alloc(16), length, this.id, this.publicKey]);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    return {
      name,
      made: {
        ...this.#named(),
        response: {
          clientDataJSON: base64url(JSON.stringify({ type: 'webauthn.create', challenge, origin })),
          attestationObject: base64url(cbor(attestation)),
          transports: ['internal'],
        },
      },
    };
  }

  use({ challenge, origin, host }: AuthenticatorOptions): z.input<typeof passkeyAnswer> {
    this.counter++;
    const clientData = JSON.stringify({ type: 'webauthn.get', challenge, origin });
    const data = this.#data(host, 0);
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), this.#keys.privateKey);
    return {
      ...this.#named(),
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(data),
        signature: base64url(signature),
      },
    };
  }

  #data(host: string, more: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const flags = USER_PRESENT | (this.verified ? USER_VERIFIED : 0) | more;
    return Buffer.concat([sha256(host), Buffer.from([flags]), counter]);
  }

  #named() {
    const id = base64url(this.id);
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} };
  }
}
