import { readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from './run.ts';

/** Text of the console by its key (`channel:test.models`), for finding elements on the page. */
export type TextOf = (key: string) => string | RegExp;

type Nested = { [name: string]: string | Nested };

/** Loads the texts of a language. Texts with values or plural forms become patterns that match any value. */
export async function loadTexts(language: string): Promise<TextOf> {
  const folder = path.join(root, 'console/src/i18n', language);
  const texts: Nested = {};
  for (const file of readdirSync(folder)) {
    const { texts: part } = (await import(path.join(folder, file))) as { texts: Nested };
    texts[camelOf(path.basename(file, '.ts'))] = part;
  }
  return (key) => {
    const text = textAt(texts, key) ?? textAt(texts, `${key}_other`);
    if (text === undefined) throw new Error(`there is no text ${key} in ${language}`);
    if (!text.includes('{{')) return text;
    // English has a singular form.
    const forms = [text, textAt(texts, `${key}_one`) ?? text];
    return new RegExp(`^(?:${forms.map(patternOf).join('|')})$`, 'u');
  };
}

function textAt(texts: Nested, key: string): string | undefined {
  let at: Nested | string | undefined = texts;
  for (const name of key.split(/[:.]/u)) at = typeof at === 'object' ? at[name] : undefined;
  return typeof at === 'string' ? at : undefined;
}

const camelOf = (name: string): string => name.replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase());

const patternOf = (text: string): string =>
  text
    .split(/\{\{\w+\}\}/u)
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`))
    .join('.+');
