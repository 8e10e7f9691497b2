"""An MCP server that people sign in to, made of the official Python package: it registers clients, and lets everyone in
but those who ask for the scope `refused`. Its tokens live for ten seconds, so that every use refreshes them. Prints its port."""
import secrets
import socket
import sys
import time

import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizeError,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthToken


class Provider:
    def __init__(self):
        self.clients, self.codes, self.access, self.refresh = {}, {}, {}, {}

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client, params):
        if "refused" in (params.scopes or []):
            raise AuthorizeError("access_denied", "You may not come in")
        code = AuthorizationCode(
            code=secrets.token_urlsafe(24),
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(self, client, authorization_code):
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client, authorization_code):
        del self.codes[authorization_code.code]
        return self.tokens(client, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(self, client, refresh_token):
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        del self.refresh[refresh_token.token]
        return self.tokens(client, scopes, refresh_token.resource)

    async def load_access_token(self, token):
        return self.access.get(token)

    async def revoke_token(self, token):
        self.access.pop(token.token, None)

    def tokens(self, client, scopes, resource):
        access, refresh = "access-" + secrets.token_urlsafe(24), "refresh-" + secrets.token_urlsafe(24)
        common = {"client_id": client.client_id, "scopes": scopes, "resource": resource}
        self.access[access] = AccessToken(token=access, expires_at=int(time.time()) + 10, **common)
        self.refresh[refresh] = RefreshToken(token=refresh, **common)
        scope = " ".join(scopes)
        return OAuthToken(access_token=access, refresh_token=refresh, expires_in=10, scope=scope)


listener = socket.create_server(("127.0.0.1", 0))
here = f"http://127.0.0.1:{listener.getsockname()[1]}"
provider = Provider()
registration = ClientRegistrationOptions(
    enabled=sys.argv[1:] != ["--closed"], valid_scopes=["notes", "refused"], default_scopes=["notes"]
)
server = MCPServer(
    "notes",
    auth_server_provider=provider,
    auth=AuthSettings(
        issuer_url=here,
        resource_server_url=f"{here}/mcp",
        validate_token_resource=True,
        required_scopes=["notes"],
        client_registration_options=registration,
    ),
)


@server.tool()
def note() -> str:
    """The latest note, and who has a token."""
    return f"buy milk; {len(provider.access)} tokens so far, the last one {list(provider.access)[-1]}"


print(here, flush=True)
uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="error")).run(sockets=[listener])
