/** A response header; the first if repeated; empty: none. */
export const headerText = (header: string | string[] | undefined): string =>
  Array.isArray(header) ? (header[0] ?? '') : (header ?? '');

/** Every call requests identity. A compressed reply could expand to any size. */
export const isCompressed = (encoding: string | string[] | undefined): boolean =>
  encoding !== undefined && headerText(encoding).toLowerCase() !== 'identity';

export const matchesType = (contentType: string, type: string | RegExp): boolean =>
  typeof type === 'string' ? contentType.includes(type) : type.test(contentType);
