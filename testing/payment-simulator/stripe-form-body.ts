export type FormValue = string | FormMembers | FormValue[];
export interface FormMembers {
  [name: string]: FormValue;
}

/** Decodes Stripe's form bodies and queries: `line_items[0][price_data][currency]=usd`. */
export function decodeForm(text: string): FormMembers {
  const root: FormMembers = {};
  for (const [path, value] of new URLSearchParams(text)) {
    const names = path.split(/\[|\]\[|\]/).filter((name, index) => name !== '' || index === 0);
    let inner = root;
    for (const name of names.slice(0, -1)) inner = (inner[name] ??= {}) as FormMembers; // containers are created here
    inner[names.at(-1) ?? ''] = value;
  }
  return root;
}

export const membersOf = (value: FormValue | undefined): FormMembers =>
  typeof value === 'object' && !Array.isArray(value) ? value : {};

export const textOf = (value: FormValue | undefined): string => (typeof value === 'string' ? value : '');

/** Texts of a metadata object. */
export const textsOf = (value: FormValue | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(membersOf(value)).map(([name, each]) => [name, textOf(each)]));

/** A whole number; undefined for another text. */
export const wholeOf = (value: FormValue | undefined): number | undefined =>
  /^\d{1,12}$/.test(textOf(value)) ? Number(textOf(value)) : undefined;
