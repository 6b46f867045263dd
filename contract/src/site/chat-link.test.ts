import { expect, test } from 'vitest';
import { chatLinkProblem } from './chat-link.ts';

test.each([
  'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{server}"}',
  'https://chat.example:8443?k={key}',
  'http://8.8.8.8/',
  'https://[2606:4700::1111]/',
  'https://127.example/',
  'opencat://team/join?domain={server}&token={key}',
  'cherrystudio://providers/api-keys?v=1&data={cherryConfig}',
  'com.example.app+x:open',
])('%s is a chat link', (url) => expect(chatLinkProblem({ url })).toBeUndefined());

test.each([
  ['address', '', 'chat.example', '/path', '//x.example', 'https://a b', 'app:', 'https:'],
  [
    'scheme',
    'javascript:alert(1)',
    'JAVAscript:x',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://x',
  ],
  ['scheme', 'intent://x#Intent;end', 'view-source:https://x', 'about:blank', 'ws://x', 'mailto:a@b'],
  [
    'host',
    'https://localhost/',
    'https://a.localhost./',
    'http://127.0.0.1:3000/',
    'http://2130706433/',
    'http://0x7f.1/',
  ],
  [
    'host',
    'http://10.1.2.3',
    'http://192.168.0.1',
    'http://172.20.0.1',
    'http://169.254.169.254/',
    'http://100.64.0.1/',
  ],
  [
    'host',
    'http://[::1]/',
    'http://[fd00::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[2002:a00:1::]/',
    'http://printer.local',
  ],
  [
    'host',
    'https://me:pw@x.example/',
    'https://{key}.x.example/',
    'https:x.example',
    'https://\\x.example',
    'https:///x.example',
  ],
  ['placeholder', 'https://x.example/#{authCode}', 'app://x?{Key}'],
])('%s is what is wrong with %s', (problem, ...urls) => {
  for (const url of urls) expect(chatLinkProblem({ url }), url).toBe(problem);
});

test('a frame needs a web page', () => {
  expect(chatLinkProblem({ url: 'app://x', embed: true })).toBe('embed');
  expect(chatLinkProblem({ url: 'https://x.example', embed: true })).toBeUndefined();
});
