import type { MailTexts } from '../mail-texts.ts';

export const mail: MailTexts = {
  addressCode: {
    subject: '{site} の確認コード：{code}',
    before: ['{site} でこのメールアドレスを確認するためのコードです：'],
    after: [
      '{minutes}分間有効で、一度だけ使えます。',
      'お心当たりがない場合は、このメールを無視し、コードを誰にも教えないでください。',
    ],
  },
  addressTaken: {
    subject: 'このメールアドレスは {site} に登録済みです',
    before: [
      '{site} でこのメールアドレスが入力されましたが、すでにアカウントで使われているため、確認コードは送信していません。',
      'ご本人の場合は、そのままログインしてください。パスワードを忘れた場合は、新しく設定できます。',
    ],
    action: 'ログインする',
    after: ['お心当たりがない場合は、このメールを無視してください。アカウントに変更はありません。'],
  },
  loginCode: {
    subject: '{site} のログイン確認コード：{code}',
    before: ['{site} にログインするための確認コードです：'],
    after: [
      '{minutes}分間有効で、コードを申し込んだブラウザーで一度だけ使えます。',
      'お心当たりがない場合は、このメールを無視し、コードを誰にも教えないでください。',
    ],
  },
  passwordReset: {
    subject: '{site} のパスワードの再設定',
    before: [
      '{site} のアカウント {username} のパスワードの再設定の申し込みがありました。次のリンクから新しいパスワードを設定してください：',
    ],
    action: '新しいパスワードを設定',
    after: [
      'リンクは {minutes}分間有効で、一度だけ使えます。設定すると、ログイン中のすべての端末からログアウトし、API トークンは無効になります（あとで再び有効にできます）。',
      'お心当たりがない場合は、このメールを無視してください。パスワードは変わりません。',
    ],
  },
  passwordChanged: {
    subject: '{site} のパスワードが変更されました',
    before: [
      '{site} のアカウント {username} のパスワードが変更されました。他の端末はすべてログアウトし、アクセストークンは無効になりました。',
      '無効にした API トークン：{tokens} 件。引き続き必要なものは、再び有効にできます。',
    ],
    others:
      'パスワード以外のログイン方法は残っています：パスキー {passkeys} 件、連携中のアカウント {accounts} 件。身に覚えのないものは、プロフィールから削除してください。',
    action: 'トークンを見る',
    after: ['お心当たりがない場合は、すぐに新しいパスワードを設定し、サイトの管理者にご連絡ください。'],
  },
  passwordGiven: {
    subject: '{site} の管理者がパスワードを変更しました',
    before: [
      '{site} の管理者が、アカウント {username} に新しいパスワードを設定しました。すべての端末がログアウトし、アクセストークンは無効になりました。',
      '無効にした API トークン：{tokens} 件。引き続き必要なものは、再び有効にできます。',
    ],
    others:
      'パスワード以外のログイン方法は残っています：パスキー {passkeys} 件、連携中のアカウント {accounts} 件。身に覚えのないものは、プロフィールから削除してください。',
    action: 'トークンを見る',
    after: ['依頼した覚えがない場合は、サイトの管理者にご連絡ください。'],
  },
  teamInvite: {
    subject: '{site} のチーム {team} への招待',
    before: ['{site} のチーム {team} に招待されました。メンバーの呼び出しはチームが支払います。'],
    action: '招待を見る',
    after: [
      'リンクは7日間有効で、1回だけ使えます。このメールアドレスのアカウントが必要です。',
      '心当たりがなければ、このメールは無視してください。',
    ],
  },
  lowBalance: {
    subject: '{site} の残高が少なくなっています',
    before: [
      '{site} のアカウント {username} の残高は {balance} で、{threshold} を下回りました。残高がなくなると、呼び出しは拒否されます。',
    ],
    action: 'チャージする',
    after: ['チャージするまで、再度の通知はありません。'],
  },
  teamLowBalance: {
    subject: '{site} のチーム {username} の残高が少なくなっています',
    before: [
      '{site} のチーム {username} の残高は {balance} で、{threshold} を下回りました。残高がなくなると、メンバーの呼び出しは拒否されます。',
    ],
    action: 'チームを見る',
    after: ['チームにチャージされるまで、このお知らせは再送されません。'],
  },
  planRenews: {
    subject: '{site} のプラン {plan} は {date} に更新されます',
    before: [
      '{site} のアカウント {username} のプラン {plan} は {date} に更新され、残高から {price} が支払われます。現在の残高：{balance}。',
    ],
    others: '残高が {missing} 不足しています。それまでにチャージしないとプランは終了します。',
    action: 'プランを見る',
    after: ['不要な場合は、それまでに更新をオフにしてください。このメールは期間ごとに一度だけ届きます。'],
  },
  limitNear: {
    subject: '{site} のトークンが制限に近づいています',
    before: ['次の制限の大部分を使いました。使い切ると、リセットまで呼び出しは拒否されます：'],
    action: 'トークンを見る',
    after: ['このメールは、制限と期間ごとに 1 回だけ送られます。プロフィールで停止できます。'],
  },
  expiryNear: {
    subject: '{site}のトークンの有効期限が近づいています',
    before: ['次のトークンはまもなく期限切れになります。期限を過ぎると、使用中のプログラムは動作しなくなります。'],
    action: 'トークンを表示',
    after: ['このメールは、トークンと期限ごとに1回だけ送信されます。プロフィールで変更または停止できます。'],
  },
  channels: {
    subject: '{site} のチャネルのテストが終わりました',
    before: ['{site} のチャネルのテストが終わりました：'],
    action: 'チャネルを見る',
    after: [],
  },
  alarm: { subject: '{site} アラート：{title}', before: ['{title}'], action: '表示する', after: [] },
  notice: {
    subject: '{site} からのお知らせ',
    before: ['{text}'],
    action: 'サイトを開く',
    after: ['このメールの配信を停止する：{unsubscribe}'],
  },
  maintenance: {
    subject: '{site}：{start}～{end} メンテナンス',
    before: ['{text}', '{start} から {end} まで、API の呼び出しは受け付けられません。'],
    action: 'サイトを開く',
    after: ['このメールの配信を停止する：{unsubscribe}'],
  },
  test: {
    subject: '{site} のテストメール',
    before: ['このメールが届いていれば、{site} のメール設定は正しく動作しています。'],
    after: [],
  },
  events: {
    line: '{line}',
    testDone:
      'チャネルのテストが終わりました：成功 {succeeded} 件、失敗 {failed} 件、テスト対象外 {skipped} 件。無効にしたもの {off} 件、再び有効にしたもの {on} 件。',
    budgetHour: 'トークン {token}：この 1 時間の利用額は {used}（上限 {limit}）。{resets} にリセットされます。',
    budgetFiveHours: 'トークン {token}：この 5 時間の利用額は {used}（上限 {limit}）。{resets} にリセットされます。',
    budgetDay: 'トークン {token}：今日の利用額は {used}（上限 {limit}）。{resets} にリセットされます。',
    budgetWeek: 'トークン {token}：今週の利用額は {used}（上限 {limit}）。{resets} にリセットされます。',
    budgetMonth: 'トークン {token}：今月の利用額は {used}（上限 {limit}）。{resets} にリセットされます。',
    requestsDay: 'トークン {token}：今日のリクエストは {used} 件（上限 {limit}）。{resets} にリセットされます。',
    tokensDay: 'トークン {token}：今日使ったトークンは {used}（上限 {limit}）。{resets} にリセットされます。',
    tokenExpires: 'トークン {token} の有効期限：{expires}',
  },
  linkHint: 'ボタンが使えない場合は、この URL をブラウザーにコピーしてください：',
  sentBy: 'このメールは {site} から自動送信されています。返信しないでください。',
};
