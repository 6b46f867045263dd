import { Link } from '@tanstack/react-router';
import { AppWindow, ExternalLink, MessagesSquare } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useChatLinks } from '#api/use-chat-links.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';

/** The chat clients that the operator offers; nothing without one. */
export function ChatMenu() {
  const { t } = useTranslation();
  const links = useChatLinks();
  if (links.length === 0) return null;
  return (
    <MenuButton
      label={t('menu.chat')}
      icon={MessagesSquare}
      variant="ghost"
      align="end"
      entries={() => [
        { heading: t('menu.chat') },
        ...links.map(({ name, embed }) => ({
          label: name,
          icon: embed ? AppWindow : ExternalLink,
          render: <Link to="/panel/chat" search={{ client: name }} />,
        })),
      ]}
    />
  );
}
