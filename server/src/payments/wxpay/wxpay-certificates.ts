import type { KeyObject } from 'node:crypto';
import { isObject, listOr, objectOr, parseJson, textOr } from '#json.ts';
import { fingerprint } from '#secrets.ts';
import { storedKey } from '#payments/config-fields.ts';
import { type GatewayContext, GatewayError, type GatewayResponse } from '#payments/gateway.ts';
import { rsaCertificateKey } from '#payments/rsa-keys.ts';
import { errorOf, sendSigned, setting } from './wxpay-request.ts';
import { decryptResource, isSigned, signatureHeaders, signatureProblem } from './wxpay-signature.ts';

const FRESH_S = 12 * 3600;
/** Unknown serials, which anyone can send, cause at most one download per this time. */
const REFRESH_PAUSE_S = 60;
const FAILURE_PAUSE_S = 10;
const MOST_ACCOUNTS = 100;

interface PlatformCertificates {
  keys: ReadonlyMap<string, KeyObject>;
  loadedAt: number;
  triedAt: number;
  loading?: Promise<void>;
}

/** Downloaded certificates by key material, so that an edited gateway never uses those of another account. */
const accounts = new Map<string, PlatformCertificates>();

/**
 * The platform's key with this serial: the configured public key, or one of the downloaded certificates. Undefined if
 * the platform does not know the serial. Throws `GatewayError` if the first download fails.
 */
export async function platformKey(context: GatewayContext, serial: string): Promise<KeyObject | undefined> {
  if (serial.startsWith('PUB_KEY_ID_')) return configuredKey(context, serial);
  const kept = accountOf(context);
  const known = kept.keys.get(serial);
  if (known && context.now - kept.loadedAt < FRESH_S) return known;
  if (kept.loading === undefined && context.now - kept.triedAt < REFRESH_PAUSE_S) return known;
  try {
    await refresh(context, kept);
  } catch (error) {
    if (!known) throw error;
    // The known certificate is valid for years; the next request after the pause tries again.
  }
  return kept.keys.get(serial) ?? known;
}

function configuredKey(context: GatewayContext, serial: string): KeyObject | undefined {
  if (serial !== setting(context, 'public_key_id')) return undefined;
  return storedKey(context.config, 'public_key', rsaCertificateKey);
}

function accountOf(context: GatewayContext): PlatformCertificates {
  const names = ['api_base', 'mch_id', 'mch_certificate_serial_number', 'mch_apiv3_key', 'mch_private_key'];
  const id = fingerprint(JSON.stringify(names.map((name) => setting(context, name))));
  const kept = accounts.get(id) ?? { keys: new Map<string, KeyObject>(), loadedAt: 0, triedAt: 0 };
  accounts.delete(id);
  accounts.set(id, kept);
  const [oldest] = accounts.keys();
  if (accounts.size > MOST_ACCOUNTS && oldest !== undefined) accounts.delete(oldest);
  return kept;
}

function refresh(context: GatewayContext, kept: PlatformCertificates): Promise<void> {
  kept.loading ??= (async () => {
    kept.triedAt = context.now;
    try {
      kept.keys = await downloadCertificates(context);
      kept.loadedAt = context.now;
    } catch (error) {
      kept.triedAt = context.now - REFRESH_PAUSE_S + FAILURE_PAUSE_S;
      throw error;
    } finally {
      delete kept.loading;
    }
  })();
  return kept.loading;
}

/** Accounts that only have a public key have no certificates: an empty map. */
export async function downloadCertificates(context: GatewayContext): Promise<Map<string, KeyObject>> {
  const response = await sendSigned(context, { method: 'GET', path: '/v3/certificates' });
  if (response.status === 404) return new Map();
  if (response.status !== 200) throw errorOf(context, response);
  const keys = certificatesIn(response, setting(context, 'mch_apiv3_key'));
  const signed = signatureHeaders(response.headers);
  // The first download can only be verified with a certificate that it contains.
  const key = keys.get(signed.serial) ?? configuredKey(context, signed.serial);
  if (signatureProblem(signed, context.now) !== '' || !key || !isSigned(signed, response.body, key)) {
    throw new GatewayError('unknown', 'WeChat Pay: the signature of the certificates is wrong', 'SIGNATURE');
  }
  return keys;
}

function certificatesIn({ body }: GatewayResponse, apiKey: string): Map<string, KeyObject> {
  const entries = listOr(objectOr(parseJson(body.toString('utf8')))['data']).filter(isObject);
  try {
    return new Map(
      entries.map((entry) => {
        const sealed = objectOr(entry['encrypt_certificate']);
        const pem = decryptResource(
          {
            nonce: textOr(sealed['nonce'], ''),
            ciphertext: textOr(sealed['ciphertext'], ''),
            associatedData: textOr(sealed['associated_data'], ''),
          },
          apiKey,
        );
        return [textOr(entry['serial_no'], ''), rsaCertificateKey(pem)];
      }),
    );
  } catch {
    throw new GatewayError('refused', 'WeChat Pay: the APIv3 key does not decrypt the certificates', 'APIV3_KEY');
  }
}
