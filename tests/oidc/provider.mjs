// A real OpenID Connect provider for the login tests, on loopback only.
//
// The first line of standard input is its configuration as JSON; secrets never stand in argv:
//
//   {"port": 0,
//    "client": {"id": "…", "secret": "…", "redirect_uris": ["http://127.0.0.1:8000/…"]},
//    "accounts": [{"login": "…", "password": "…", "email": "…", "email_verified": true, "name": "…"}],
//    "id_token_claims": true}
//
// It prints `ready <issuer>` once it listens, and ends when standard input ends, so that it cannot
// outlive the test run that started it. Port 0 takes a free port. Logging in is one form; consent
// is taken as given. With `id_token_claims` false the profile is at the userinfo endpoint only.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

import Provider from 'oidc-provider';

const LOOPBACK = '127.0.0.1';

function signingKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: randomBytes(8).toString('hex') };
}

function claimsOf(account) {
  const { login, email, email_verified: verified, name } = account;
  return { sub: login, email, email_verified: verified, name };
}

async function grantEverything(ctx) {
  const { client, session, params } = ctx.oidc;
  const grant = new ctx.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope(params.scope);
  await grant.save();
  return grant;
}

function providerSettings({ client, accounts, id_token_claims: inIdToken = true }) {
  return {
    clients: [{
      client_id: client.id,
      client_secret: client.secret,
      redirect_uris: client.redirect_uris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !inIdToken,
    cookies: { keys: [randomBytes(32).toString('hex')] },
    features: { devInteractions: { enabled: false } },
    findAccount(_ctx, login) {
      const account = accounts.find((candidate) => candidate.login === login);
      return account && { accountId: login, claims: () => claimsOf(account) };
    },
    interactions: { url: (_ctx, interaction) => `/login/${interaction.uid}` },
    jwks: { keys: [signingKey()] },
    loadExistingGrant: grantEverything,
    pkce: { required: () => true },
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Grant: 3600, Interaction: 600, Session: 3600 },
  };
}

const page = (message) => `<!doctype html>
<title>Log in</title>
<form method="post">
  <p>${message}</p>
  <label>Login <input name="login" autocomplete="username"></label>
  <label>Password <input name="password" type="password" autocomplete="current-password"></label>
  <button>Log in</button>
</form>
`;

function answer(response, status, body) {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  response.end(body);
}

async function readForm(request) {
  let body = '';
  for await (const chunk of request) body += chunk;
  return new URLSearchParams(body);
}

function loginPage(provider, accounts) {
  return async (request, response) => {
    await provider.interactionDetails(request, response); // refuses a stale or foreign login
    if (request.method !== 'POST') return answer(response, 200, page('Who are you?'));

    const form = await readForm(request);
    const known = accounts.find((account) => account.login === form.get('login') && account.password === form.get('password'));
    if (!known) return answer(response, 401, page('That login and password do not match.'));
    return provider.interactionFinished(request, response, { login: { accountId: known.login } });
  };
}

async function start(settings) {
  const server = createServer();
  server.listen(settings.port ?? 0, LOOPBACK);
  await once(server, 'listening');

  const issuer = `http://${LOOPBACK}:${server.address().port}`;
  const provider = new Provider(issuer, providerSettings(settings));
  const logIn = loginPage(provider, settings.accounts);
  const rest = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url.startsWith('/login/')) return rest(request, response);
    return logIn(request, response).catch((error) => answer(response, 400, page(error.message)));
  });
  console.log(`ready ${issuer}`);
}

const input = createInterface({ input: process.stdin });
input.once('line', (line) => start(JSON.parse(line)));
input.once('close', () => process.exit(0));
