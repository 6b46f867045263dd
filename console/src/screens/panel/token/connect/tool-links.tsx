import { ExternalLink } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { chatAddress, openAddress, type ChatLink } from '#api/chat-links.ts';
import { useChatLinks } from '#api/use-chat-links.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Mark } from '#ui/basic/mark.tsx';
import { toast } from '#ui/feedback/toast.ts';
import type { ConnectFacts, Tool, ToolLink } from './tools/tool.ts';

interface Props {
  tool: Tool;
  factsOf: (key: string) => ConnectFacts;
  loadKey: () => Promise<string>;
}

/** Links that open the tool, or a chat client of the operator, with address and key filled in. */
export function ToolLinks({ tool, factsOf, loadKey }: Props) {
  const { t } = useTranslation(['connect', 'shared']);
  const chats = useChatLinks();
  const own = tool.links ?? [];
  // The tool's own link is better than one for the same tool that an operator typed in.
  const links = [
    ...own,
    ...(tool.group === 'chat' ? chats.map(linkOf) : []).filter(({ name }) => !own.some((each) => each.name === name)),
  ];
  if (links.length === 0) return null;
  const open = async ({ href }: ToolLink) => {
    try {
      const opened = await openAddress(async () => href(factsOf(await loadKey())), isWeb(href(factsOf(''))));
      if (!opened) toast.warning(t('shared:tabBlocked'));
    } catch {
      // The request for the key shows its own error.
    }
  };
  return (
    <section aria-label={t('opens')}>
      <h3 className="text-14 font-title">{t('opens')}</h3>
      <p className="mt-0.5 mb-2 text-12 text-text3">{t('opensText')}</p>
      <div className="flex flex-wrap gap-2">
        {links.map((link) => (
          <Button
            key={link.name}
            // The one filled button, where the recipe has no text to copy as a whole.
            variant={tool.steps[0]?.kind === 'fields' && link === own[0] ? 'primary' : 'default'}
            saves={false}
            onClick={() => void open(link)}
          >
            <Mark name={link.name} mark={link.mark} size={20} />
            {link.name}
            <Icon of={ExternalLink} size={14} />
          </Button>
        ))}
      </div>
      {links.some(({ inQuery }) => inQuery) && <p className="mt-2 text-12 text-warn">{t('keyInQuery')}</p>}
    </section>
  );
}

const linkOf = (chat: ChatLink): ToolLink => ({
  name: chat.name,
  href: ({ hub, site, key, model }) => chatAddress(chat, { server: hub, site, key, model }),
});

const isWeb = (address: string): boolean => /^https?:/i.test(address);
