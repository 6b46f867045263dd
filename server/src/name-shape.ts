/** Latin letters and their look-alikes. Capitals are matched before case folding. */
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
  // I, i, l and 1 share a shape: some fonts do not distinguish them.
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
 * The visual shape of a user name: names with equal shapes could be confused. Folds compatibility forms, case and look-
 * alike letters of other scripts, and drops invisible characters.
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
