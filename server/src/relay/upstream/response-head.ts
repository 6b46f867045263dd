/** A header of an answer, of which there should be one; empty: there is none. */
export const headerText = (header: string | string[] | undefined): string =>
  Array.isArray(header) ? (header[0] ?? '') : (header ?? '');

/** Every call asks for bytes as they are; who packs them all the same could pack any amount into few. */
export const isCompressed = (encoding: string | string[] | undefined): boolean =>
  encoding !== undefined && headerText(encoding).toLowerCase() !== 'identity';

/** Whether an answer's type is the one that is looked for. */
export const matchesType = (contentType: string, type: string | RegExp): boolean =>
  typeof type === 'string' ? contentType.includes(type) : type.test(contentType);
