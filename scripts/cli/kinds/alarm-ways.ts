import {
  type DeliveryWay,
  fieldsOfWay,
  wayApi,
  wayConfig,
  type WayConfig,
  type WayKind,
  waySchemas,
} from '@relay-hub/contract';
import * as z from 'zod/mini';
import { wayHint } from '../../../server/src/secrets.ts';
import { type Fields, type Kind, parsed, ensureName, ensureReferences, asJson, pick, isPlainObject } from './kind.ts';

const { site: _site, name: wayName, config: _config, kind: wayKind, ...wayShape } = waySchemas.create.body.shape;
const wayFile = z.object({ kind: wayKind, config: z.optional(wayConfig), ...wayShape });
/** Kinds whose address is that of a server; the address of other kinds is a secret. */
const openAddresses: ReadonlySet<WayKind> = new Set<WayKind>(['telegram', 'ntfy', 'bark', 'pagerduty']);
const nameOfWay = ({ name, kind }: Pick<DeliveryWay, 'name' | 'kind'>): string => name || kind;

const isSecretOfWay = (kind: WayKind, field: keyof WayConfig): boolean =>
  field === 'token' || field === 'secret' || (field === 'address' && !openAddresses.has(kind));

export const ways: Kind = {
  name: 'alarm_ways',
  about:
    'How operators are told of incidents. `config` is kept if it is left out; a new one has to be confirmed again.',
  atOnce: 1,
  shape: wayFile.shape,
  read(entry) {
    const name = ensureName(wayName._zod.def.innerType, entry);
    const fields = parsed(wayFile, entry);
    const given = isPlainObject(entry.value) && isPlainObject(entry.value['config']) ? entry.value['config'] : {};
    const secrets = fieldsOfWay(fields.kind).filter(({ field }) => given[field] && isSecretOfWay(fields.kind, field));
    ensureReferences(
      entry,
      secrets.map(({ field }) => `config.${field}`),
    );
    const { config, ...form } = asJson(fields);
    if (fields.config) form['destination'] = wayHint(fields.kind, fields.config);
    return { entry, name, fields: { ...form, ...(config !== undefined && { config }) }, form };
  },
  async list(hub, wanted) {
    const records = (await hub.call(wayApi.list)).filter(({ site }) => site);
    return records.map((record) => {
      const form = pick(record, ['kind', ...Object.keys(wayShape)]);
      const compared =
        wanted?.get(nameOfWay(record))?.form['destination'] === undefined ? {} : { destination: record.hint };
      return {
        name: nameOfWay(record),
        id: record.id,
        form: { ...form, ...compared },
        fileForm: (reference) => ({ ...form, config: wayForFile(record, reference) }),
      };
    });
  },
  async write(hub, writes) {
    for (const { name, desired, stored, changed } of writes) {
      const { config, ...fields } = desired.fields;
      if (stored && changed.has('kind')) desired.entry.fail(['kind'], 'of a way never changes: give it another name');
      const isSent = !stored || changed.has('destination');
      const body = { ...fields, name, ...(isSent && config !== undefined && { config }) };
      if (stored) await hub.call(wayApi.update, { body: { ...body, id: stored.id } as never }); // checked by `wayFile`
      else await hub.call(wayApi.create, { body: { ...body, site: true } as never });
    }
  },
  async remove(hub, gone) {
    for (const { id } of gone) await hub.call(wayApi.remove, { params: { id } });
  },
};

/** The hub returns no destination; fields that may be empty are left to the operator. */
const wayForFile = ({ kind }: DeliveryWay, reference: (part: string) => string): Fields =>
  Object.fromEntries(
    fieldsOfWay(kind).flatMap(({ field, isOptional }) => (isOptional ? [] : [[field, reference(field)]])),
  );
