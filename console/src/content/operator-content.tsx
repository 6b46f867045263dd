import { OperatorHtml } from './operator-html.tsx';
import { RichText } from './rich-text.tsx';

const isAddress = (content: string) => /^https?:\/\/\S+$/.test(content) && URL.canParse(content);
const isHtml = (content: string) => /^<[a-z!]/i.test(content);

/** What an operator put in a page's place: an address is framed, HTML too but without scripts, all else is read as text. */
export function OperatorContent({ content, title }: { content: string; title: string }) {
  const trimmed = content.trim();
  if (isAddress(trimmed)) return <Framed address={trimmed} title={title} />;
  if (isHtml(trimmed)) return <OperatorHtml html={trimmed} title={title} />;
  return <RichText text={trimmed} />;
}

function Framed({ address, title }: { address: string; title: string }) {
  // A page of this very site must not reach out of its frame into the console.
  const foreign = new URL(address).origin !== location.origin;
  return (
    <iframe
      src={address}
      title={title}
      sandbox={`allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox${foreign ? ' allow-same-origin' : ''}`}
      referrerPolicy="no-referrer"
      className="block min-h-[70vh] w-full flex-1 rounded-card border border-line bg-card"
    />
  );
}
