"""The connection between a notebook and its kernel, without the wait of 40 ms for small messages.

A click on a widget is answered by several small messages.  TCP holds the second one back until the
first is acknowledged (Nagle's algorithm), and the other side delays that.  Jupyter Server does not
turn this off: `make lab` does, by the option `ServerApp.kernel_websocket_connection_class`.
"""

from asyncio import Future

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class PromptConnection(ZMQChannelsWebsocketConnection):
    """Jupyter Server's connection, with TCP_NODELAY."""

    def connect(self) -> Future[None] | None:
        """Connect as ever, but send every message at once."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()
