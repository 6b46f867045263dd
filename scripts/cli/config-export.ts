import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Document, isMap } from 'yaml';
import { byName, listed } from './config-plan.ts';
import { defaultForm } from './config-kinds.ts';
import type { HubClient } from './hub-client.ts';
import type { Kind } from './kinds/kind.ts';

type Fields = Record<string, unknown>;

export interface ExportedFile {
  name: string;
  text: string;
  objects: number;
  /** Environment variables that the file refers to. */
  variables: string[];
}

/** The configuration of a hub as one YAML file per kind, with references instead of secrets. */
export async function exportConfig(hub: HubClient, chosen: readonly Kind[]): Promise<ExportedFile[]> {
  const files: ExportedFile[] = [];
  const taken = new Set<string>();
  // Random, so no text of the hub becomes a reference.
  const mark = randomUUID();
  for (const kind of chosen) {
    const stored = [...byName(kind, await listed(kind, hub)).values()].filter((each) => !isLeftOut(kind, each.id));
    const variables: string[] = [];
    const objects = stored
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, fileForm }): [string, unknown] => {
        const form = fileForm((part) => {
          const variable = variableFor(`${kind.name}_${name}_${part}`, taken);
          variables.push(variable);
          return `${mark}${variable};`;
        });
        const value = kind.name === 'settings' ? form['value'] : lean(kind, form);
        return [name, withReferences(value, mark)];
      });
    files.push({ name: `${kind.name}.yaml`, text: yamlOf(kind, objects), objects: objects.length, variables });
  }
  return files;
}

/** Settings at their default. */
const isLeftOut = (kind: Kind, id: number): boolean => kind.name === 'settings' && id === 0;

function variableFor(parts: string, taken: Set<string>): string {
  const name = parts
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  for (let n = 1; ; n++) {
    const each = n === 1 ? name : `${name}_${n}`;
    if (taken.has(each)) continue;
    taken.add(each);
    return each;
  }
}

/** Without the fields that have the value which they have when they are left out. */
function lean(kind: Kind, form: Fields): Fields {
  const defaults = defaultForm(kind);
  const kept = Object.entries(form).filter(
    ([name, value]) => !(name in defaults && isDeepStrictEqual(value, defaults[name])),
  );
  return Object.fromEntries(kept);
}

/** With references for marked names. Texts that look like references are written so that they stay texts. */
function withReferences(value: unknown, mark: string): unknown {
  if (typeof value === 'string')
    return value.replaceAll('${', () => '$${').replaceAll(new RegExp(`${mark}(\\w+);`, 'g'), '$${env:$1}');
  if (Array.isArray(value)) return value.map((member) => withReferences(member, mark));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withReferences(member, mark)]));
}

/** A price of up to this many characters is one line. */
const LONGEST_LINE = 180;

function yamlOf(kind: Kind, objects: readonly [string, unknown][]): string {
  const document = new Document(
    { [kind.name]: Object.fromEntries(objects) },
    { version: '1.2', schema: 'core', aliasDuplicateObjects: false },
  );
  document.commentBefore = ` ${kind.about}`;
  const map = document.get(kind.name);
  if (kind.name === 'prices' && isMap(map))
    for (const { value } of map.items) if (isMap(value)) value.flow = JSON.stringify(value).length <= LONGEST_LINE;
  return document.toString({ lineWidth: 0 });
}
