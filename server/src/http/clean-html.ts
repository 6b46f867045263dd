import { createRequire } from 'node:module';
import type Sanitizer from 'sanitize-html';
import type { IOptions } from 'sanitize-html';

const require = createRequire(import.meta.url);

/** Loaded with the first text that has tags; most servers never need it. */
let sanitizer: typeof Sanitizer | undefined;

const sizes = ['width', 'height', 'align'];
/** Blocks images loaded by a style, and overlays. */
const harmless = [/^(?!.*(?:url|expression|image)\s*\()[^;{}<>]*$/i];
const styles = ['color', 'background-color', 'background', 'text-align', 'text-decoration', 'vertical-align', 'display']
  .concat(['font-size', 'font-weight', 'font-style', 'font-family', 'line-height', 'letter-spacing', 'white-space'])
  .concat(['margin', 'margin-top', 'margin-right', 'margin-bottom', 'margin-left', 'gap', 'list-style', 'opacity'])
  .concat(['padding', 'padding-top', 'padding-right', 'padding-bottom', 'padding-left', 'flex', 'flex-wrap'])
  .concat(['justify-content', 'align-items', 'flex-direction', 'grid-template-columns', 'border', 'border-radius'])
  .concat(['width', 'height', 'max-width', 'max-height', 'min-width', 'min-height', 'box-shadow']);

const options: IOptions = {
  allowedTags: [
    'a',
    'abbr',
    'address',
    'article',
    'aside',
    'b',
    'blockquote',
    'br',
    'caption',
    'center',
    'cite',
    'code',
  ]
    .concat([
      'col',
      'colgroup',
      'dd',
      'del',
      'details',
      'div',
      'dl',
      'dt',
      'em',
      'figcaption',
      'figure',
      'font',
      'footer',
    ])
    .concat(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'i', 'img', 'ins', 'kbd', 'li', 'main', 'mark', 'nav'])
    .concat(['ol', 'p', 'picture', 'pre', 'q', 's', 'samp', 'section', 'small', 'source', 'span', 'strike', 'strong'])
    .concat([
      'sub',
      'summary',
      'sup',
      'table',
      'tbody',
      'td',
      'tfoot',
      'th',
      'thead',
      'time',
      'tr',
      'tt',
      'u',
      'ul',
      'var',
    ])
    .concat(['video', 'wbr']),
  allowedAttributes: {
    '*': ['style', 'title', 'lang', 'dir', 'role', 'aria-label', 'aria-hidden'],
    a: ['href', 'target', 'rel'],
    img: ['src', 'srcset', 'alt', 'loading', ...sizes],
    source: ['src', 'srcset', 'media', 'type'],
    video: ['src', 'poster', 'controls', ...sizes],
    font: ['color', 'size', 'face'],
    table: ['border', 'cellpadding', 'cellspacing', ...sizes],
    td: ['colspan', 'rowspan', ...sizes],
    th: ['colspan', 'rowspan', 'scope', ...sizes],
    ol: ['start', 'type'],
    details: ['open'],
  },
  allowedStyles: { '*': Object.fromEntries(styles.map((name) => [name, harmless])) },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesAppliedToAttributes: ['href', 'src', 'cite', 'poster'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'] },
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nestingLimit: 100,
  transformTags: { a: (tagName, attribs) => ({ tagName, attribs: { ...attribs, rel: 'noopener noreferrer' } }) },
};

/** Harmless formatting tags that a plain text may contain. */
const plainTag = /^<\/?(?:b|i|u|s|em|strong|code|kbd|sub|sup|br|p|del|mark)\s*\/?>/i;

/**
 * Removes everything that could run from an operator's text for visitors. HTML keeps its harmless tags, attributes and
 * styles; in any other text, tags become plain text and unsafe links lose their target. URLs stay unchanged.
 * Idempotent.
 */
export function cleanOperatorText(text: string): string {
  if (!/[<\]]/.test(text)) return text;
  if (!isHtml(text)) return plainText(text);
  sanitizer ??= require('sanitize-html') as typeof Sanitizer; // what the package exports
  // Some clients also render Markdown in HTML.
  const clean = ledNowhere(sanitizer(text, options));
  // Without its tags it may no longer be HTML.
  return isHtml(clean) ? clean : plainText(clean);
}

function isHtml(text: string): boolean {
  return /^\s*<[a-z!/?]/i.test(text);
}

function plainText(text: string): string {
  const led = ledNowhere(text);
  const plain = led.replace(/<(?=[a-z!/?])/gi, (sign, at: number) =>
    plainTag.test(led.slice(at, at + 16)) ? sign : '&lt;',
  );
  // An escaped tag may have hidden the start of a link. Terminates, since each round has fewer tags and links.
  return plain === text ? plain : plainText(plain);
}

/** Target of a Markdown link, image or reference, up to the start of its path or query. */
const target = /\](\(|:)(\s*(?:(?:<|&lt;)\s*)?)((?:&#|[^\s()<>/?#"])+)/gi;

/** Removes the target of Markdown links with a scheme that could run, however it is spelled. */
function ledNowhere(text: string): string {
  return text.replace(target, (whole, open: string, space: string, to: string) => {
    const isScheme = /^[^&\\]*:/.test(to);
    // An entity or a backslash can encode any character, the colon too; the listed ones cannot be part of a scheme.
    if (!isScheme && !/&(?!(?:lt|gt|amp|quot);)(?:#|\w+;)|\\/.test(to)) return whole;
    return /^(?:https?|mailto|unsafe):/i.test(to) ? whole : `]${open}${space}unsafe:${to.replace(/^[\w+.-]*:?/, '')}`;
  });
}
