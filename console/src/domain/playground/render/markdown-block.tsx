import { isValidElement, lazy, Suspense, type ComponentProps, type ReactNode } from 'react';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { useTranslation } from '#i18n/use-translation.ts';
import { CodeBox } from './code-box.tsx';
import { markFormulas, formulaIn } from './formula-marks.ts';
import { imageAddress, linkAddress } from './safe-link.ts';

const Formula = lazy(async () => ({ default: (await import('./formula.tsx')).Formula }));

const plugins = [remarkGfm];

/** A finished piece of Markdown of a model. Raw HTML is shown as text; nothing is loaded from other hosts. */
export function MarkdownBlock({ text }: { text: string }) {
  return (
    <Markdown remarkPlugins={plugins} components={components} urlTransform={(url) => url}>
      {markFormulas(text)}
    </Markdown>
  );
}

/** `node` is the parser's, not an attribute. */
const components: Components = {
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
  img: ({ src, alt }) => <Picture src={typeof src === 'string' ? src : undefined} alt={alt} />,
  code: ({ children }) => <InlineCode>{children}</InlineCode>,
  pre: ({ children }) => <Pre>{children}</Pre>,
  table: ({ children }) => (
    <div className="overflow-x-auto" tabIndex={0} role="group">
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => <input type="checkbox" checked={checked ?? false} disabled readOnly />,
};

function Link({ href, children }: { href: string | undefined; children: ReactNode }) {
  const address = linkAddress(href);
  if (address === undefined) return <span>{children}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={address}>
      {children}
    </a>
  );
}

/** Images of other hosts are links: an address can carry parts of the conversation to its host. */
function Picture({ src, alt = '' }: { src: string | undefined; alt: string | undefined }) {
  const { t } = useTranslation('playground');
  const address = imageAddress(src);
  if (address !== undefined) return <img src={address} alt={alt} className="max-h-96 max-w-full rounded-control" />;
  const link = linkAddress(src);
  if (link === undefined) return alt;
  return <Link href={link}>{t('imageAt', { name: alt, host: new URL(link).host })}</Link>;
}

function InlineCode({ children }: { children: ReactNode }) {
  const formula = typeof children === 'string' ? formulaIn(children) : undefined;
  if (formula === undefined) return <code>{children}</code>;
  return (
    <Suspense fallback={<code>{formula}</code>}>
      <Formula text={formula} />
    </Suspense>
  );
}

/** Code within lists and quotes; all other code is a separate block. */
function Pre({ children }: { children: ReactNode }) {
  if (!isValidElement<ComponentProps<'code'>>(children)) return <pre>{children}</pre>;
  const { className = '', children: code } = children.props;
  const [, language = ''] = /language-(\S+)/.exec(className) ?? [];
  return <CodeBox language={language} text={typeof code === 'string' ? code.replace(/\n$/, '') : ''} />;
}
