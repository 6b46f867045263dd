import { createElement, type CSSProperties, type ReactNode, useMemo } from 'react';
import { safeAddress } from './safe-address.ts';

const tags = new Set(
  'a abbr address article aside b blockquote br caption center cite code col colgroup dd del details div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp section small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr'.split(
    ' ',
  ),
);
/** Elements whose content is not text. */
const silent = new Set('script style template noscript iframe object embed svg math title head'.split(' '));
const empty = new Set(['br', 'hr', 'img', 'wbr', 'col']);

/** Allowed attributes, by their React name. */
const attributes: Record<string, string> = {
  title: 'title',
  lang: 'lang',
  dir: 'dir',
  alt: 'alt',
  width: 'width',
  height: 'height',
  colspan: 'colSpan',
  rowspan: 'rowSpan',
  start: 'start',
  open: 'open',
};

/** Rejects styles that fetch or cover the page. */
const styles =
  'color background-color text-align text-decoration-line vertical-align font-size font-weight font-style font-family line-height letter-spacing white-space margin-top margin-right margin-bottom margin-left padding-top padding-right padding-bottom padding-left width max-width min-width height max-height border-top-width border-right-width border-bottom-width border-left-width border-top-style border-right-style border-bottom-style border-left-style border-top-color border-radius display flex-wrap flex-direction justify-content align-items gap grid-template-columns list-style-type opacity'.split(
    ' ',
  );

const looks =
  'min-w-0 flex-1 overflow-hidden leading-relaxed break-words [contain:paint] [&_a]:text-accent [&_a:hover]:underline [&_h1]:text-[1.75em] [&_h2]:text-[1.4em] [&_h3]:text-[1.2em] [&_:is(h1,h2,h3,h4)]:mt-4 [&_:is(h1,h2,h3,h4)]:mb-2 [&_:is(h1,h2,h3,h4)]:font-title [&_:is(h1,h2,h3,h4)]:text-text [&_:is(p,ul,ol,table,pre,blockquote)]:my-2 [&_ul]:list-disc [&_ol]:list-decimal [&_:is(ul,ol)]:pl-5 [&_img]:max-w-full [&_img]:inline-block [&_:is(td,th)]:border [&_:is(td,th)]:border-line [&_:is(td,th)]:px-2 [&_:is(td,th)]:py-1 [&_pre]:overflow-x-auto [&_:is(code,pre)]:font-mono [&_center]:text-center';

/**
 * Sanitizes an operator's HTML: parses it without rendering, and rebuilds allowed elements as React elements. Scripts,
 * frames, styles that fetch, and positioning over the page are dropped.
 */
export function OperatorHtml({ html, title }: { html: string; title: string }) {
  const content = useMemo(() => contentOf(new DOMParser().parseFromString(html, 'text/html').body, 0), [html]);
  return (
    <section aria-label={title} className={looks}>
      {content}
    </section>
  );
}

const DEEPEST = 100;

function contentOf(parent: Element, depth: number): ReactNode[] {
  return depth > DEEPEST ? [] : [...parent.childNodes].map((node, at) => elementOf(node, at, depth));
}

function elementOf(node: Node, key: number, depth: number): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return node.nodeValue;
  if (!(node instanceof HTMLElement)) return null;
  const tag = node.localName;
  if (silent.has(tag)) return null;
  const content = empty.has(tag) ? [] : contentOf(node, depth + 1);
  // Keep the text of unknown elements.
  return createElement(tags.has(tag) ? tag : 'span', { key, ...propsOf(node) }, ...content);
}

function propsOf(element: HTMLElement): Record<string, unknown> {
  const props: Record<string, unknown> = { style: styleOf(element) };
  for (const [name, prop] of Object.entries(attributes)) {
    const value = element.getAttribute(name);
    if (value !== null) props[prop] = name === 'open' ? true : value;
  }
  if (element instanceof HTMLAnchorElement) {
    const href = safeAddress(element.getAttribute('href') ?? '');
    if (href !== undefined) Object.assign(props, { href, target: '_blank', rel: 'noopener noreferrer' });
  }
  if (element instanceof HTMLImageElement) {
    const src = element.getAttribute('src') ?? '';
    props['src'] = /^data:image\//i.test(src) ? src : safeAddress(src);
    props['loading'] = 'lazy';
    props['alt'] ??= '';
  }
  return props;
}

function styleOf({ style }: HTMLElement): CSSProperties {
  const chosen = styles
    .map((name): [string, string] => [name, style.getPropertyValue(name)])
    .filter(([, value]) => value !== '' && !/url|image|\(.*\(/i.test(value));
  return Object.fromEntries(
    chosen.map(([name, value]) => [name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()), value]),
  );
}
