/** Letters that look like Latin ones: each Latin letter, and what looks like it. Capitals are told apart before case is folded. */
const alike: Readonly<Record<string, string>> = {
  a: 'АΑаαɑᴀᎪꓮ',
  b: 'ВΒвьЬƅʙᏴꓐ',
  c: 'СсϲϹᴄᏟꓚⲥ',
  d: 'ԁԀᴅᎠꓓɖ',
  e: 'ЕΕеεᴇᎬꓰ℮',
  f: 'ꜰꓝϝƒ',
  g: 'ɡԍɢᏀꓖցƍ',
  h: 'НΗнһҺʜᎻꓧհ',
  j: 'ЈјϳᴊᎫꓙȷ',
  k: 'КΚкκᴋᏦꓗ',
  // The shapes of I, i, l and 1 are one: which of them is meant cannot be seen in all fonts.
  l: 'iI1|ІіӀӏΙιıɩɪʟᏞᎥꓡꓲⅼ',
  m: 'МΜмᴍᎷꓟ',
  n: 'ΝпηɴꓠՈո',
  o: '0ОоΟοσօՕᴏꓳסⲟ০०๐٥',
  p: 'РрΡρᴘᏢꓑⲣ',
  q: 'ԛԚգզ',
  r: 'гᴦʀᎡꓣ',
  s: 'ЅѕꜱᏚꓢ',
  t: 'ТтΤτᴛᎢꓔ',
  u: 'υᴜꓴսՍ',
  v: 'νѵѴᴠᏙꓦ',
  w: 'ԝԜωѡᴡᎳꓪ',
  x: 'ХхΧχꓫ',
  y: 'УуΥγүҮʏᎩꓬ',
  z: 'ΖᴢᏃꓜ',
  '-': '‐‑‒–—―−ー',
};

const folded = new Map(
  Object.entries(alike).flatMap(([letter, others]) =>
    Array.from(others).map((other): [string, string] => [other, letter]),
  ),
);

/**
 * What a user name looks like: two names with one shape could be taken for each other. Compatible forms, case and letters
 * of other scripts that look like Latin ones are folded, and what cannot be seen is left out.
 */
export function shapeOfName(name: string): string {
  let shape = '';
  for (const sign of name.normalize('NFKC').normalize('NFD')) {
    if (/[\p{Default_Ignorable_Code_Point}\p{C}\s\u2800]/u.test(sign)) continue;
    const lower = sign.toLowerCase();
    shape += folded.get(sign) ?? folded.get(lower) ?? lower;
  }
  return shape.replaceAll('rn', 'm').replaceAll('vv', 'w').normalize('NFC');
}
