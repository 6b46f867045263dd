/** A POST request for a shell; quotes in the body are written for a single-quoted text. */
export const curlOf = (address: string, body: object): string =>
  [
    `curl ${address} \\`,
    '  -H "Authorization: Bearer $KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '${JSON.stringify(body, null, 2)
      .replaceAll('\n', '\n  ')
      .replaceAll("'", String.raw`'\''`)}'`,
  ].join('\n');
