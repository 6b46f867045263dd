import { bytesIn, flagIn, isDeleted, lineIn, type OldRow, OldValueError, textIn, timeIn, wholeIn } from '../old-row.ts';
import { parseJson } from '#json.ts';
import { isHubLine, type OldWorld, readRows } from './old-world.ts';

/** A passkey of the old program, in our terms. */
export interface ArrivingPasskey {
  oldId: number;
  /** Old id of the owner. */
  owner: number;
  /** In base64url. */
  credential_id: string;
  public_key: string;
  counter: number;
  /** Comma-separated. */
  transports: string;
  name: string;
  /** The only host that browsers offer it to. */
  host: string;
  synced: boolean;
  created_time: number;
}

/** The passkeys of new-api, and of one-hub since 0.14.24. One-api has none. */
export function readPasskeys(world: OldWorld): AsyncIterable<ArrivingPasskey> {
  const host = hostOf(world);
  return readRows(world, {
    table: isHubLine(world) ? 'webauthn_credentials' : 'passkey_credentials',
    kind: 'passkey',
    name: (row) => `passkey ${lineIn(row, 'id', 30)} of user ${lineIn(row, 'user_id', 30)}`,
    topic: 'passkey_lost',
    read: (row) => {
      if (isDeleted(row)) return undefined;
      if (host === '') throw new OldValueError('the old settings do not name the address of the site');
      return isHubLine(world) ? ofHubLine(row, host) : ofNewApi(row, host);
    },
  });
}

/** The relying party: a name, never an address of numbers. */
function hostOf({ options }: OldWorld): string {
  const host = options.get('passkey.rp_id')?.trim() || URL.parse(options.get('ServerAddress') ?? '')?.hostname || '';
  return /^[\d.]+$|:/.test(host) ? '' : host.toLowerCase();
}

function ofNewApi(row: OldRow, host: string): ArrivingPasskey {
  const transports = parseJson(textIn(row, 'transports'));
  const created = Math.floor(Date.parse(textIn(row, 'created_at')) / 1000);
  return {
    ...common(row, host),
    credential_id: base64url(Buffer.from(textIn(row, 'credential_id'), 'base64')),
    public_key: base64url(Buffer.from(textIn(row, 'public_key'), 'base64')),
    transports: (Array.isArray(transports) ? transports : [])
      .filter((each): each is string => typeof each === 'string' && /^[\w-]+$/.test(each))
      .join(','),
    name: 'imported',
    created_time: created > 0 ? created : 0,
  };
}

function ofHubLine(row: OldRow, host: string): ArrivingPasskey {
  return {
    ...common(row, host),
    credential_id: base64url(bytesIn(row, 'credential_id')),
    public_key: base64url(bytesIn(row, 'public_key')),
    transports: '',
    name: lineIn(row, 'alias', LONGEST_NAME) || 'imported',
    created_time: timeIn(row, 'created_time'),
  };
}

const LONGEST_NAME = 50;

const common = (row: OldRow, host: string) => ({
  oldId: wholeIn(row, 'id'),
  owner: wholeIn(row, 'user_id'),
  counter: Math.max(0, wholeIn(row, 'sign_count')),
  host,
  synced: flagIn(row, 'backup_state'),
});

function base64url(bytes: Buffer): string {
  if (bytes.length === 0) throw new OldValueError('its key cannot be read');
  return bytes.toString('base64url');
}
